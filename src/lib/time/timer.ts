/** A sleep that can be ended. A ring while nobody sleeps is kept: the next sleep is over at once. */
export class Alarm {
	#rung = false;
	#wake = () => {};

	ring(): void {
		this.#rung = true;
		this.#wake();
	}

	/** Resolves after `ms`, or when it rings. One sleeper at a time. */
	async sleep(ms: number): Promise<void> {
		if (!this.#rung) {
			await new Promise<void>(resolve => {
				const timer = setTimeout(resolve, ms);
				this.#wake = () => {
					clearTimeout(timer);
					resolve();
				};
			});
		}

		this.#rung = false;
		this.#wake = () => {};
	}
}
