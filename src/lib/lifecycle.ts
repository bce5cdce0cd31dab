/** Something that lives between `start` and `stop`. */
export type Part = {
	readonly name: string;
	start(): Promise<void>;
	stop(): Promise<void>;
};

/**
 * Starts the parts in order. The result stops them in reverse and may be called more than once; a failed
 * start stops what was started and rejects with the reason. A part that fails to stop does not keep the
 * others from stopping: the first such error is thrown at the end.
 */
export async function startAll(parts: readonly Part[]): Promise<() => Promise<void>> {
	const started: Part[] = [];
	const stopAll = async () => {
		const errors: unknown[] = [];
		for (const part of started.splice(0).reverse()) {
			await part.stop().catch(error => errors.push(error));
		}

		if (errors.length > 0) {
			throw errors[0];
		}
	};

	try {
		for (const part of parts) {
			await part.start();
			started.push(part);
		}
	} catch (error) {
		await stopAll().catch(() => {});
		throw error;
	}

	return stopAll;
}
