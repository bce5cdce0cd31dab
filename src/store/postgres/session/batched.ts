/** Concurrent batches: the next one can start while one is running. */
const maxConcurrent = 2;

type Waiting<Key, Value> = {
	readonly key: Key;
	readonly resolve: (value: Value) => void;
	readonly reject: (error: unknown) => void;
};

/**
 * Returns a function that loads values in batches. A batch has the keys of one turn of the event loop, or those that arrived
 * while other batches were running, at most `max`. `loadAll` resolves to the values in the order of the keys, which may
 * repeat; if it fails, each call fails.
 */
export function batched<Key, Value>(
	loadAll: (keys: readonly Key[]) => Promise<readonly Value[]>,
	max = 1000,
): (key: Key) => Promise<Value> {
	const waiting: Waiting<Key, Value>[] = [];
	let running = 0;
	const send = async () => {
		if (waiting.length === 0 || running === maxConcurrent) {
			return;
		}

		const batch = waiting.splice(0, max);
		running++;
		// Start this batch before the next one.
		const loading = loadAll(batch.map(({key}) => key));
		if (waiting.length > 0) {
			void send();
		}

		try {
			const values = await loading;
			for (const [index, {resolve}] of batch.entries()) {
				resolve(values[index] as Value);
			}
		} catch (error) {
			for (const {reject} of batch) {
				reject(error);
			}
		}

		running--;
		void send();
	};
	return async key =>
		new Promise((resolve, reject) => {
			if (waiting.push({key, resolve, reject}) === 1) {
				setImmediate(send);
			}
		});
}

/** Returns a function that finds values by key, as `batched`; undefined if there is none. `find` resolves to those that exist. */
export function batchedFind<Value>(
	find: (keys: readonly string[]) => Promise<readonly Value[]>,
	keyOf: (value: Value) => string,
	max?: number,
): (key: string) => Promise<Value | undefined> {
	return batched(async keys => {
		const values = new Map((await find(keys)).map(value => [keyOf(value), value]));
		return keys.map(key => values.get(key));
	}, max);
}
