import {Readable} from 'node:stream';
import type {SMTPServerDataStream} from 'smtp-server';
import {AppError} from '../domain/errors.js';

/**
 * The mail of one DATA command as the intake reads it. The stream of the library is not handed out itself: an intake
 * that fails destroys what it was given, and the library would then answer in the middle of the data.
 */
export class MailSource extends Readable {
	readonly #data: SMTPServerDataStream;

	constructor(data: SMTPServerDataStream) {
		super();
		this.#data = data;
		data.on('data', chunk => this.#take(chunk));
		data.once('end', () => this.push(null));
		data.once('error', error => this.destroy(error));
	}

	override _read(): void {
		this.#data.resume();
	}

	/** Lets the rest of the mail flow by. */
	override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
		this.#data.resume();
		callback(error);
	}

	#take(chunk: Buffer): void {
		if (this.#data.sizeExceeded) {
			this.destroy(new AppError('too_large', 'The mail exceeds the maximum message size.'));
		} else if (!this.destroyed && !this.push(chunk)) {
			this.#data.pause();
		}
	}
}
