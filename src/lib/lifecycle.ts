/** Component of the daemon with a start and a stop. */
export type Part = {
	readonly name: string;
	start(): Promise<void>;
	stop(): Promise<void>;
};

/**
 * Starts the parts in order. Returns a function that stops them in reverse order and may be called repeatedly. If a start
 * fails, stops the started parts and rejects. All parts are stopped even if one fails to stop; the first error is thrown at
 * the end.
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
