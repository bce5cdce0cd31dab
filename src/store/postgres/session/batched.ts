/** Questions of one kind that are under way at once: two, so that while one is answered the next is on its way. */
const maxUnderWay = 2;

type Waiting<Key, Value> = {
	readonly key: Key;
	readonly resolve: (value: Value) => void;
	readonly reject: (error: unknown) => void;
};

/**
 * Asks together what is asked one by one: all of the same turn of the event loop, and all that comes while others are under
 * way, but no more than `max`. `askAll` resolves to the answers in the order of the keys, among which may be equal ones; when it
 * fails, so does each.
 */
export function batched<Key, Value>(
	askAll: (keys: readonly Key[]) => Promise<readonly Value[]>,
	max = 1000,
): (key: Key) => Promise<Value> {
	const waiting: Waiting<Key, Value>[] = [];
	let underWay = 0;
	const send = async () => {
		if (waiting.length === 0 || underWay === maxUnderWay) {
			return;
		}

		const asked = waiting.splice(0, max);
		underWay++;
		// What was asked for first is on its way before the rest is.
		const answers = askAll(asked.map(({key}) => key));
		if (waiting.length > 0) {
			void send();
		}

		try {
			const values = await answers;
			for (const [index, {resolve}] of asked.entries()) {
				resolve(values[index] as Value);
			}
		} catch (error) {
			for (const {reject} of asked) {
				reject(error);
			}
		}

		underWay--;
		void send();
	};
	return async key =>
		new Promise((resolve, reject) => {
			if (waiting.push({key, resolve, reject}) === 1) {
				setImmediate(send);
			}
		});
}
