import {randomFillSync} from 'node:crypto';
import {v7} from 'uuid';

const bytesPerId = 16;

/** How many ids one draw of random bytes is good for: a draw for each would cost more than all the rest of an id. */
const idsPerDraw = 512;

/** Makes the ids of messages: UUIDs of version 7 (RFC 9562, section 5.7), each greater than the one before. */
export class MessageIds {
	readonly #random = new Uint8Array(bytesPerId * idsPerDraw);
	#drawn = idsPerDraw;
	#msecs = 0;
	#seq = 0;

	next(): string {
		const random = this.#draw();
		const now = Date.now();
		if (now > this.#msecs) {
			this.#msecs = now;
			// 31 bits, so that there is room to count up within the millisecond.
			this.#seq = new DataView(random.buffer, random.byteOffset).getUint32(0) >>> 1;
		} else {
			this.#seq += 1;
		}

		return v7({msecs: this.#msecs, seq: this.#seq, random});
	}

	#draw(): Uint8Array {
		if (this.#drawn === idsPerDraw) {
			randomFillSync(this.#random);
			this.#drawn = 0;
		}

		const start = bytesPerId * this.#drawn++;
		return this.#random.subarray(start, start + bytesPerId);
	}
}
