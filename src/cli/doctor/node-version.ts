import { engines } from '../../../package.json';
import { bad, type Finding, ok } from './finding.ts';

const OLDEST = engines.node.replace('>=', '');

/** Whether this Node.js is one that package.json asks for. */
export function checkNodeVersion(version: string = process.versions.node): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldMajor = 0, oldMinor = 0] = OLDEST.split('.').map(Number);
  const isOld = major < oldMajor || (major === oldMajor && minor < oldMinor);
  return isOld ? bad('node.js', version, `Install Node.js ${OLDEST} or newer.`) : ok('node.js', version);
}
