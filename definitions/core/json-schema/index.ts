/** JSON Schema, as definitions carry it, turned into zod. */
export { type Checked, checkWith, issuesOf } from '../issues/index.ts';
export { type CompiledSchema, compileSchema } from './compile-schema.ts';
