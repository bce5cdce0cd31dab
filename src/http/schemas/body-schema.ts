import type {z} from 'zod';

/** A type as JSON has it, in one form for comparing: read-only, without intersections, and what is optional is never `undefined`. */
type Plain<T> = T extends readonly (infer Item)[]
	? readonly Plain<Item>[]
	: T extends object
		? {readonly [Field in keyof T]: Plain<Exclude<T[Field], undefined>>}
		: T;

type IsSame<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** As it is made: nobody changes it, and a field that is `undefined` is not in the JSON. */
type Made<T> = T extends readonly (infer Item)[]
	? readonly Made<Item>[]
	: T extends object
		? {readonly [Field in keyof T]: Made<T[Field]>}
		: T;

/** A body of this schema. */
export type BodyOf<Schema extends z.ZodType> = Made<z.output<Schema>>;

/**
 * Names the schema of a body as the contract has it, for the OpenAPI document, and says more there. The compiler takes it only if schema and type
 * have the same fields of the same types.
 */
export function bodySchema<Body>() {
	return <Schema extends z.ZodType>(
		id: string,
		schema: IsSame<Plain<z.output<Schema>>, Plain<Body>> extends true ? Schema : never,
		more: Readonly<Record<string, unknown>> = {},
	): Schema => schema.meta({...more, id});
}
