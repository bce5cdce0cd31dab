/**
 * What a person did at the keyboard. A key is its character, or a name of two letters and more: `up`, `enter`,
 * `escape`, `backspace`, `ctrl+d`, `shift+tab`.
 */
export type Input = {readonly type: 'key'; readonly key: string} | {readonly type: 'paste'; readonly text: string};

/** `rest` is the beginning of a sequence whose end was not read yet. */
export type Decoded = {readonly inputs: readonly Input[]; readonly rest: string};

/** More than this is no sequence, whatever it began as. */
const longestSequence = 64;
const longestPaste = 1 << 20;

const pasteStart = '\x1b[200~';
const pasteEnd = '\x1b[201~';

/** Control sequences (ECMA-48), keys of the SS3 kind, and the answers of terminals, each from its start. */
const sequence = /^\x1b(?:\[M.{3}|\[(?![M[])[0-?]*[ -/]*[@-~]|O.|\[\[[A-E]|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\))/s;

/** What may still become one of these. */
const beginning = /^\x1b(?:\[(?:M.{0,2}|[0-?]*[ -/]*)|O|\[\[|[\]PX^_][^\x07\x1b]*\x1b?)?$/s;

const names: Readonly<Record<string, string>> = {
	'[A': 'up',
	'[B': 'down',
	'[C': 'right',
	'[D': 'left',
	'[H': 'home',
	'[F': 'end',
	OA: 'up',
	OB: 'down',
	OC: 'right',
	OD: 'left',
	OH: 'home',
	OF: 'end',
	'[1~': 'home',
	'[4~': 'end',
	'[5~': 'pageup',
	'[6~': 'pagedown',
	'[7~': 'home',
	'[8~': 'end',
	'[3~': 'delete',
	'[Z': 'shift+tab',
};

/**
 * Splits what the terminal sent into keys, however many came in one read. Mouse reports, answers to queries and
 * sequences of unknown keys are swallowed; a paste is one input, so that its letters cannot act as keys.
 */
export function decode(chunk: string): Decoded {
	const inputs: Input[] = [];
	let rest = chunk;
	while (rest !== '') {
		const step = rest.startsWith('\x1b') ? escaped(rest) : character(rest);
		if (step === undefined) {
			break;
		}

		inputs.push(...step.inputs);
		rest = rest.slice(step.length);
	}

	return {inputs, rest};
}

/** The keys in a beginning that nothing followed: an Escape, and what was typed behind it. A paste goes on waiting. */
export function decodeLone(rest: string): Decoded {
	return rest === '' || rest.startsWith(pasteStart)
		? {inputs: [], rest}
		: {inputs: [key('escape'), ...decode(rest.slice(1)).inputs], rest: ''};
}

type Step = {readonly inputs: readonly Input[]; readonly length: number};

function character(text: string): Step {
	const [first = ''] = text;
	const code = first.codePointAt(0) ?? 0;
	const name = first === '\x7f' ? 'backspace' : code < 32 ? controlName(code) : first;
	const isKey = !/[\x80-\x9f]/.test(name);
	return {inputs: isKey ? [key(name)] : [], length: first.length};
}

function controlName(code: number): string {
	const named: Readonly<Record<number, string>> = {0: 'ctrl+space', 8: 'backspace', 9: 'tab', 10: 'enter', 13: 'enter'};
	return named[code] ?? `ctrl+${String.fromCharCode(code + 96)}`;
}

/** The next step of a text that starts with ESC; undefined while its end is missing. */
function escaped(text: string): Step | undefined {
	if (text.startsWith(pasteStart)) {
		return pasted(text);
	}

	const [whole] = sequence.exec(text) ?? [];
	if (whole !== undefined) {
		const name = names[whole.slice(1)];
		return {inputs: name === undefined ? [] : [key(name)], length: whole.length};
	}

	const mayGrow = beginning.test(text) && text.length <= longestSequence;
	return mayGrow ? undefined : {inputs: [key('escape')], length: 1};
}

function pasted(text: string): Step | undefined {
	const end = text.indexOf(pasteEnd);
	if (end < 0) {
		return text.length <= longestPaste ? undefined : {inputs: [], length: text.length};
	}

	return {inputs: [{type: 'paste', text: text.slice(pasteStart.length, end)}], length: end + pasteEnd.length};
}

function key(name: string): Input {
	return {type: 'key', key: name};
}
