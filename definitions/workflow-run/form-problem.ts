import { isDnsLabel } from '../core/identity.ts';
import { quote } from '../core/quote.ts';
import type { JsonObject } from '../core/resource.ts';
import { msOf } from '../flows/duration.ts';
import { readCpus, readMemory } from '../replicas/quantity.ts';

/** What is wrong with a form that was filled: a template may have brought what nobody could have written there. */
export function formProblem({ functionSpec, http, run, suspend, timeout }: JsonObject): string | undefined {
  const times = { timeout, ...(suspend as Pick<JsonObject, 'duration' | 'timeout'> | undefined) };
  for (const name of ['timeout', 'duration'] as const) {
    const given = times[name];
    if (given !== undefined && msOf(given) === undefined) return `${name} must be a duration (got ${quote(given)})`;
  }
  if (functionSpec) return functionProblem(functionSpec as JsonObject);
  if (http) return httpProblem(http as JsonObject);
  return run ? runProblem(run as JsonObject) : undefined;
}

const isName = (value: unknown): boolean => typeof value === 'string' && value.length > 0 && value.length <= 1_000;

/** Also where a template brought it as a text. */
const isNumber = (value: unknown): boolean =>
  typeof value === 'number' || (typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value.trim()));

function functionProblem(form: JsonObject): string | undefined {
  const { funcName, funcname, conditions, args = [], kwargs = {} } = form;
  const { executorType, executortype } = conditions as JsonObject;
  if (!isName(funcName ?? funcname)) return `funcName must be a text (got ${quote(funcName ?? funcname)})`;
  if (!isName(executorType ?? executortype)) return `executorType must be a text (got ${quote(executorType ?? executortype)})`;
  if (!Array.isArray(args)) return `args must be a list (got ${quote(args)})`;
  if (typeof kwargs !== 'object' || kwargs === null || Array.isArray(kwargs)) return `kwargs must be an object (got ${quote(kwargs)})`;
  const odd = ['maxwaittime', 'maxexectime'].find((field) => form[field] !== undefined && !isNumber(form[field]));
  return odd && `${odd} must be a number of seconds (got ${quote(form[odd])})`;
}

function httpProblem({ url, expect = [] }: JsonObject): string | undefined {
  if (typeof url !== 'string' || !/^(https?:\/\/[^/]|\$\{secret:)/.test(url))
    return `url must begin with http:// or https:// (got ${quote(url)})`;
  const odd = (Array.isArray(expect) ? expect : [expect]).find((code) => !Number.isInteger(Number(code)));
  return odd === undefined ? undefined : `expect must be status codes (got ${quote(odd)})`;
}

function runProblem({ node, resources }: JsonObject): string | undefined {
  if (node !== undefined && !(typeof node === 'string' && isDnsLabel(node))) return `node must be the name of a node (got ${quote(node)})`;
  const { cpu, memory } = (resources ?? {}) as { readonly cpu?: string | number; readonly memory?: string | number };
  const found = [
    cpu === undefined ? undefined : readCpus(cpu), //
    memory === undefined ? undefined : readMemory(memory),
  ];
  return found.flatMap((one) => (one && 'problem' in one ? [one.problem] : []))[0];
}
