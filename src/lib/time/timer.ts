/** Sleep that can be woken early. A wake-up without a sleeper is kept: the next sleep ends immediately. */
export class Timer {
	#isWoken = false;
	#endSleep = () => {};

	wake(): void {
		this.#isWoken = true;
		this.#endSleep();
	}

	/** Resolves after `ms` milliseconds, or at the next wake-up. Only one sleeper at a time. */
	async sleep(ms: number): Promise<void> {
		if (!this.#isWoken) {
			await new Promise<void>(resolve => {
				const timeout = setTimeout(resolve, ms);
				this.#endSleep = () => {
					clearTimeout(timeout);
					resolve();
				};
			});
		}

		this.#isWoken = false;
		this.#endSleep = () => {};
	}
}
