import {type Decoded, decode, decodeLone, type Input} from './decode.js';

/** How long an Escape waits for the rest of a sequence. */
const escapeMs = 40;

/** Reads keys from a terminal in raw mode. */
export type KeyReader = {
	/** Begins to listen, in raw mode. */
	start(): void;
	/** Gives the terminal back as a shell expects it. Never pauses the stream, which could not be read again. */
	stop(): void;
};

type Stdin = Pick<NodeJS.ReadStream, 'on' | 'off' | 'resume' | 'setEncoding' | 'setRawMode'>;

/** `onInput` gets one key at a time, in the order in which they were typed. */
export function createKeyReader(stdin: Stdin, onInput: (input: Input) => void): KeyReader {
	let rest = '';
	let timer: NodeJS.Timeout | undefined;
	const take = (decoded: Decoded) => {
		rest = decoded.rest;
		for (const input of decoded.inputs) {
			onInput(input);
		}
	};
	const read = (chunk: string) => {
		clearTimeout(timer);
		take(decode(rest + chunk));
		timer = rest === '' ? undefined : setTimeout(() => take(decodeLone(rest)), escapeMs);
	};
	return {
		start() {
			stdin.setEncoding('utf8');
			stdin.setRawMode(true);
			stdin.on('data', read);
			stdin.resume();
		},
		stop() {
			clearTimeout(timer);
			rest = '';
			stdin.off('data', read);
			stdin.setRawMode(false);
		},
	};
}
