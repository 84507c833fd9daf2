/** Apart, so that it is loaded only for YAML; imported by name here, because in the bundle a dynamic import of CommonJS has no names. */
export { stringify } from 'yaml';
