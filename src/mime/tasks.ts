import type {ContentFilter, Searched} from '../domain/filter.js';
import type {Bodies, Content, Findings, HeaderField, Summary} from '../domain/message.js';
import type {Piece} from './pieces.js';

/** What a worker thread can be asked for. */
export type Tasks = {
	/** Of each header section that lies in `bytes`, one behind the other, and ends at its place in `ends`. */
	readonly summarize: {
		readonly input: {readonly bytes: Uint8Array; readonly ends: readonly number[]};
		readonly output: ReadonlyArray<Summary | undefined>;
	};
	readonly readHeaders: {readonly input: Uint8Array; readonly output: readonly HeaderField[]};
	/** Of the source; its text is `""` if it has none but HTML. */
	readonly readContent: {readonly input: undefined; readonly output: Content};
	/** Of the source. The input is the id. */
	readonly readAttachment: {readonly input: string; readonly output: Uint8Array | undefined};
	readonly textOfHtml: {readonly input: string; readonly output: string};
	readonly find: {readonly input: Bodies & {readonly link?: string | undefined}; readonly output: Findings};
	readonly explain: {
		readonly input: {readonly content: Searched; readonly filter: ContentFilter};
		readonly output: readonly string[];
	};
};

export type TaskName = keyof Tasks;

/** A task, with the first piece of its source if it has one. */
export type TaskOrder = {
	readonly [Name in TaskName]: {
		readonly kind: 'task';
		readonly name: Name;
		readonly input: Tasks[Name]['input'];
		readonly piece?: Piece | undefined;
	};
}[TaskName];

/** What a worker is told: first a task, then the other pieces of the source as it asks for them. */
export type Order = TaskOrder | {readonly kind: 'source'; readonly piece: Piece | undefined};

/** What a worker says: once that it is ready; then, for each task, that it wants more of the source or is done. */
export type Report =
	| {readonly kind: 'ready'}
	| {readonly kind: 'more'}
	| {readonly kind: 'done'; readonly output: unknown}
	| {readonly kind: 'failed'; readonly reason: string};
