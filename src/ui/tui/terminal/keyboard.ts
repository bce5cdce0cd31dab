/**
 * Input from keyboard or mouse. A key is its character, or a name of at least two letters: `up`, `enter`, `escape`, `backspace`,
 * `ctrl+d`, `shift+tab`.
 */
export type Input =
	| {readonly type: 'key'; readonly key: string}
	| {readonly type: 'paste'; readonly text: string}
	| MouseInput;

/** Turn of the mouse wheel, or press of the first button, at a position counted from 0. */
export type MouseInput = {
	readonly type: 'mouse';
	readonly action: 'click' | 'wheel up' | 'wheel down';
	readonly column: number;
	readonly row: number;
};

/** Decoded inputs; `rest` is the beginning of an incomplete sequence. */
type Decoded = {readonly inputs: readonly Input[]; readonly rest: string};

/** Maximum lengths of a sequence and of a paste. */
const maxSequence = 64;
const maxPaste = 1 << 20;

const controls: Readonly<Record<string, string>> = {
	'\0': 'ctrl+space',
	'\b': 'backspace',
	'\t': 'tab',
	'\n': 'enter',
	'\r': 'enter',
	'\x1b': 'escape',
	'\x7f': 'backspace',
};

/** Time after which a single Escape is a key, not the beginning of a sequence. */
const escapeMs = 40;

const pasteStart = '\x1b[200~';
const pasteEnd = '\x1b[201~';

/** Control sequences (ECMA-48), SS3 keys, and responses of terminals to queries. */
const sequence = /^\x1b(?:\[M.{3}|\[(?![M[])[0-?]*[ -/]*[@-~]|O.|\[\[[A-E]|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\))/s;

/** Beginning of a sequence. */
const beginning = /^\x1b(?:\[(?:M.{0,2}|[0-?]*[ -/]*)|O|\[\[|[\]PX^_][^\x07\x1b]*\x1b?)?$/s;

/** Keys by control sequence. SS3 (`ESC O`) uses the same letters. */
const names: Readonly<Record<string, string>> = {
	'[A': 'up',
	'[B': 'down',
	'[C': 'right',
	'[D': 'left',
	'[H': 'home',
	'[F': 'end',
	'[1~': 'home',
	'[4~': 'end',
	'[5~': 'pageup',
	'[6~': 'pagedown',
	'[7~': 'home',
	'[8~': 'end',
	'[3~': 'delete',
	'[Z': 'shift+tab',
};

/** Mouse inputs by their code in a report (SGR, mode 1006). Other codes, also with modifiers, are ignored. */
const mouseCodes: Readonly<Record<string, MouseInput['action']>> = {0: 'click', 64: 'wheel up', 65: 'wheel down'};

export type KeyReader = ReturnType<typeof createKeyReader>;

type Stdin = Pick<NodeJS.ReadStream, 'on' | 'off' | 'resume' | 'setEncoding' | 'setRawMode'>;

/** Reads keys from a terminal in raw mode. Calls `onInput` for each, in order. */
export function createKeyReader(stdin: Stdin, onInput: (input: Input) => void) {
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
		/** Restores cooked mode. Does not pause the stream, because it could not be resumed. */
		stop() {
			clearTimeout(timer);
			rest = '';
			stdin.off('data', read);
			stdin.setRawMode(false);
		},
	};
}

/**
 * Splits the output of the terminal into inputs. Other mouse reports, responses to queries and sequences of unknown keys are
 * dropped. A paste is one input, so that its letters do not act as keys.
 */
export function decode(chunk: string): Decoded {
	const inputs: Input[] = [];
	let rest = chunk;
	while (rest !== '' && !mayGrow(rest)) {
		const {text, input} = nextOf(rest);
		inputs.push(...(input ? [input] : []));
		rest = rest.slice(text.length);
	}

	return {inputs, rest};
}

/** Decodes an incomplete sequence after a pause: an Escape, and the keys after it. An incomplete paste is kept. */
export function decodeLone(rest: string): Decoded {
	return rest === '' || rest.startsWith(pasteStart)
		? {inputs: [], rest}
		: {inputs: [key('escape'), ...decode(rest.slice(1)).inputs], rest: ''};
}

/** True for an incomplete sequence or paste. */
function mayGrow(text: string): boolean {
	return text.startsWith(pasteStart)
		? !text.includes(pasteEnd) && text.length <= maxPaste
		: beginning.test(text) && text.length <= maxSequence;
}

/** First sequence or character of a text, and its input. */
function nextOf(text: string): {readonly text: string; readonly input: Input | undefined} {
	if (text.startsWith(pasteStart)) {
		const [pasted = ''] = text.split(pasteEnd, 1);
		return pasted === text
			? {text, input: undefined}
			: {text: pasted + pasteEnd, input: {type: 'paste', text: pasted.slice(pasteStart.length)}};
	}

	const [whole] = sequence.exec(text) ?? [];
	if (whole !== undefined) {
		const name = names[whole.slice(1).replace('O', '[')];
		return {text: whole, input: name === undefined ? mouseInput(whole) : key(name)};
	}

	const [character = ''] = text;
	return {text: character, input: /[\x80-\x9f]/.test(character) ? undefined : key(nameOf(character))};
}

/** Input of a mouse report, which counts from 1 and ends with `M` for a press. */
function mouseInput(report: string): MouseInput | undefined {
	const [, code = '', column, row] = /^\x1b\[<(\d+);(\d+);(\d+)M$/.exec(report) ?? [];
	const action = mouseCodes[code];
	return action && {type: 'mouse', action, column: Number(column) - 1, row: Number(row) - 1};
}

/** Name of a key that sends one character. */
function nameOf(character: string): string {
	const code = character.codePointAt(0) ?? 0;
	return controls[character] ?? (code < 32 ? `ctrl+${String.fromCharCode(code + 96)}` : character);
}

function key(name: string): Input {
	return {type: 'key', key: name};
}
