const carriageReturn = 13;
const lineFeed = 10;

/** Watches a source go by for line feeds without a carriage return in front (RFC 5321, section 2.3.8, forbids them). */
export class LineFeeds {
	/** Whether there was one so far. */
	areBare = false;

	async *watch(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
		let previous = carriageReturn;
		for await (const chunk of source) {
			this.areBare ||= hasBareLineFeed(chunk, previous);
			previous = chunk.at(-1) ?? previous;
			yield chunk;
		}
	}
}

function hasBareLineFeed(chunk: Buffer, previous: number): boolean {
	for (let at = chunk.indexOf(lineFeed); at >= 0; at = chunk.indexOf(lineFeed, at + 1)) {
		if ((at === 0 ? previous : chunk[at - 1]) !== carriageReturn) {
			return true;
		}
	}

	return false;
}
