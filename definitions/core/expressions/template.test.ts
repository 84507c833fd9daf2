import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fillTemplate, readTemplate, type Scope } from './index.ts';

const scope: Scope = {
  values: {
    params: { replicas: 3, half: 0.5, name: 'shop', debug: true, ports: [80, 443], limits: { cpu: '500m' }, none: null },
    components: { 'db-main': { status: { endpoint: 'db:5432' } } },
    item: 'first',
  },
  opaque: ([root, name, kind, key]) => (root === 'components' && kind === 'secret' ? `secret:${name}/${key}` : undefined),
};
const roots = ['params', 'components', 'item'];

describe('fillTemplate', () => {
  it('fills the spec of a component', () => {
    const spec = {
      image: 'shop:1.0',
      replicas: '${params.replicas}',
      ports: '${params.ports}',
      env: {
        URL: 'postgres://app:${components.db-main.secret.password}@${components.db-main.status.endpoint}/shop',
        PASSWORD: '${components.db-main.secret.password}',
        NAME: '${params.name + "-" + item}',
        LITERAL: 'costs $5, $${params.name} and $HOME',
        '${params.name}': 'keys are not templates',
      },
      nothing: null,
    };
    expect(fillTemplate(spec, scope)).toEqual({
      value: {
        image: 'shop:1.0',
        replicas: 3,
        ports: [80, 443],
        env: {
          URL: 'postgres://app:secret:db-main/password@db:5432/shop',
          PASSWORD: 'secret:db-main/password',
          NAME: 'shop-first',
          LITERAL: 'costs $5, ${params.name} and $HOME',
          '${params.name}': 'keys are not templates',
        },
        nothing: null,
      },
    });
  });

  it.each([
    { text: '${params.replicas}', value: 3 },
    { text: '${params.half}', value: 0.5 },
    { text: '${params.debug}', value: true },
    { text: '${params.limits}', value: { cpu: '500m' } },
    { text: ' ${params.replicas}', value: ' 3' },
    { text: '${params.replicas}${params.half}', value: '30.5' },
    { text: 'debug=${params.debug}', value: 'debug=true' },
    { text: 'limits=${params.limits} ports=${params.ports}', value: 'limits={"cpu":"500m"} ports=[80,443]' },
    { text: '${ {"a": {"b": "}"}}.a.b }', value: '}' },
    { text: "${'}${' + item}", value: '}${first' },
    { text: '${null}', value: null },
    { text: '$$${params.name}', value: '$${params.name}' },
    { text: '$ $$ {} }', value: '$ $$ {} }' },
    { text: '', value: '' },
  ])('$text is $value', ({ text, value }) => expect(fillTemplate(text, scope)).toEqual({ value }));

  it('tells everything that is missing, once', () => {
    const template = ['${params.a}', 'x${params.a}-${components.db-main.status.url}', { deep: '${params.b + params.c}' }, '${params.none}'];
    expect(fillTemplate(template, scope)).toEqual({
      missing: [
        ['params', 'a'],
        ['components', 'db-main', 'status', 'url'],
        ['params', 'b'],
        ['params', 'c'],
        ['params', 'none'],
      ],
    });
  });

  it('counts a null inside a text as missing', () =>
    expect(fillTemplate('x${params.debug ? null : dyn(params.name)}', scope)).toEqual({
      missing: [
        ['params', 'debug'],
        ['params', 'name'],
      ],
    }));

  it.each([
    {
      value: { env: [{ value: '${params.name + 1}' }] },
      problem: 'env[0].value: string + integer cannot be computed in "params.name + 1"; string(…) makes a string of a number',
    },
    { value: { a: '${params.x}', b: '${params.name.first}' }, problem: 'b: params.name is a string and has no field "first"' },
    { value: { 'a/b': 'x${nobody}' }, problem: '["a/b"]: unknown name "nobody"; allowed: components, item, params' },
    { value: 'x${null}', problem: '"null" is null and cannot stand inside a text' },
    {
      value: '${components.db-main.secret.password + "x"}',
      problem: 'components.db-main.secret.password may stand alone or inside a text, but nothing can be computed from it',
    },
  ])('says what cannot be computed and where: $problem', ({ value, problem }) => expect(fillTemplate(value, scope)).toEqual({ problem }));

  it('gives back the very same value when there is nothing to fill', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (json) => {
        fc.pre(!JSON.stringify(json).includes('${'));
        const filled = fillTemplate(json, scope);
        expect('value' in filled && Object.is(filled.value, json)).toBe(true);
      }),
    );
  });

  it('gives back every text that was escaped', () => {
    const text = fc.oneof(
      fc.string(),
      fc.array(fc.constantFrom('$', '{', '}', 'params.name', '"', 'x'), { maxLength: 12 }).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(text, (plain) => {
        const escaped = plain.split('${').join('$${');
        expect(fillTemplate({ a: [escaped] }, scope)).toEqual({ value: { a: [plain] } });
      }),
    );
  });

  it('does not change the template, and keeps what has not changed', () => {
    const template = { same: { a: [1, 'x'] }, other: '${params.name}' };
    const before = structuredClone(template);
    const filled = fillTemplate(template, scope) as { readonly value: typeof template };
    expect(template).toEqual(before);
    expect(filled.value.same).toBe(template.same);
  });

  it('keeps a field called __proto__ a field', () => {
    const template = JSON.parse('{"__proto__": {"a": 1}, "b": "${params.name}"}') as unknown;
    const filled = fillTemplate(template, scope);
    expect(JSON.stringify(filled)).toBe('{"value":{"__proto__":{"a":1},"b":"shop"}}');
  });
});

describe('readTemplate', () => {
  it('finds every reference once', () => {
    const template = {
      a: '${components.db-main.status.endpoint}',
      b: ['x${params.a}y${params.b > 1}', '${params.a}', '$${params.c}'],
      '${params.d}': 1,
    };
    expect(readTemplate(template, { roots })).toEqual({
      references: [
        ['components', 'db-main', 'status', 'endpoint'],
        ['params', 'a'],
        ['params', 'b'],
      ],
      computed: [['params', 'b']],
      issues: [],
    });
  });

  it('tells all issues at once, and where', () => {
    const template = {
      env: { URL: '${component.db}' },
      ports: [{ name: 'x${params.}' }],
      open: 'see ${params.name',
      long: `\${${'a'.repeat(2_000)}}`,
      labels: { 'a/b': '${}' },
      fine: '${params.name}',
    };
    expect(readTemplate(template, { roots })).toEqual({
      references: [['params', 'name']],
      computed: [],
      issues: [
        { path: 'env.URL', message: 'unknown name "component"; allowed: components, item, params' },
        { path: 'ports[0].name', message: 'cannot read "params.": it ends too early' },
        { path: 'open', message: 'the expression that begins with "${params.name" is not closed by "}"; a literal "${" is written "$${"' },
        { path: 'long', message: `the expression that begins with "\${${'a'.repeat(57)}…" is too long: at most 1024 characters` },
        { path: 'labels["a/b"]', message: 'the expression is empty' },
      ],
    });
  });
});
