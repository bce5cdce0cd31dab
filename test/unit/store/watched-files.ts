import type {FileHandle} from 'node:fs/promises';
import path from 'node:path';
import {type Files, nodeFiles} from '../../../src/lib/io/files.js';

/** One call to the file system. `file` is the path that the call, or the open before it, named. */
export type Call = {readonly name: string; readonly file: string; readonly args: readonly unknown[]};

/** Intercepts the file system calls of a store. Its result or error is returned to the store. */
export type Watch = (call: Call, proceed: (args?: readonly unknown[]) => Promise<unknown>) => Promise<unknown>;

/** The real file system with all calls intercepted by `watch`. */
export function watchedFiles(watch: Watch): Files {
	return watched(nodeFiles, watch, undefined);
}

function watched<T extends Files | FileHandle>(target: T, watch: Watch, file: string | undefined): T {
	return new Proxy(target, {
		get(_target, name) {
			const member: unknown = Reflect.get(target, name, target);
			if (typeof member !== 'function' || typeof name !== 'string' || name === 'createReadStream') {
				return typeof member === 'function' ? member.bind(target) : member;
			}

			return async (...args: unknown[]) => {
				const call = {name, file: file ?? String(args[0]), args};
				const result = await watch(call, async (changed = args) => member.apply(target, changed));
				return name === 'open' ? watched(result as FileHandle, watch, call.file) : result;
			};
		},
	});
}

/** Calls that change the outcome of a kill or of a power cut. */
const lasting = new Set(['open', 'write', 'datasync', 'sync', 'truncate', 'rename', 'unlink', 'mkdir']);

/** Name of a call that changes the data directory, such as `rename snapshots`; undefined for a read. */
export function stepOf({name, file}: Call, dir: string): string | undefined {
	const [kind = ''] = path.relative(dir, file).split(path.sep);
	return lasting.has(name) ? `${name} ${kind}` : undefined;
}

/** An error as the operating system reports it. */
export function systemError(code: string): Error {
	return Object.assign(new Error(`${code}: made by a test`), {code});
}
