import stringWidth from 'string-width';
import {applyRendition, plainStyle, type TextStyle} from './text-style.js';

const piece = /\x1b\[([?<>=]?)([\d;]*)([ -/]*)([@-~])|\x1b\]([^\x07\x1b]*)(?:\x07|\x1b\\)|\x1b[=>78()][0AB]?|[\s\S]/gu;

type Cursor = {row: number; column: number};

/** One column of a line: a character with its combining marks, or an empty text after a wide character. */
export type Cell = {readonly text: string; readonly style: TextStyle};

const emptyCell: Cell = {text: ' ', style: plainStyle};

/** A terminal emulator with the features that a shell and the terminal UI need: screen contents and modes. */
export class VirtualScreen {
	#main: Cell[][] = [];
	#lines: Cell[][] = [];
	#style = plainStyle;
	#cursor: Cursor = {row: 0, column: 0};
	#mainCursor: Cursor = {row: 0, column: 0};
	#rows: number;
	#columns: number;
	#rest = '';
	/** Private modes that are set (`?25`), and modes that were reset, with a minus sign (`-?25`). */
	readonly modes = new Set<string>();
	/** Texts copied to the clipboard (OSC 52). */
	readonly copied: string[] = [];
	/** Sequences and control characters that the terminal UI must never write. */
	readonly foreign: string[] = [];

	constructor(rows: number, columns: number) {
		this.#rows = rows;
		this.#columns = columns;
	}

	get isAlternate(): boolean {
		return this.modes.has('?1049');
	}

	get cells(): ReadonlyArray<readonly Cell[]> {
		return Array.from({length: this.#rows}, (_, row) => this.#lines[row] ?? []);
	}

	get lines(): readonly string[] {
		return this.cells.map(line =>
			line
				.map(({text}) => text)
				.join('')
				.trimEnd(),
		);
	}

	get text(): string {
		return this.lines.join('\n');
	}

	resize(rows: number, columns: number): void {
		this.#rows = rows;
		this.#columns = columns;
	}

	write(data: string): void {
		const text = this.#rest + data;
		const cut = /\x1b(?:\[[\d;?<>=]*|\][^\x07\x1b]*|[()])?$/.exec(text)?.index ?? text.length;
		this.#rest = text.slice(cut);
		for (const match of text.slice(0, cut).matchAll(piece)) {
			const [whole, kind = '', numbers = '', , final, command] = match;
			if (final !== undefined) {
				this.#control(kind, numbers, final, whole);
			} else if (command !== undefined) {
				this.#command(command, whole);
			} else {
				this.#character(whole);
			}
		}
	}

	#control(kind: string, numbers: string, final: string, whole: string): void {
		const [first = 0, second = 0] = numbers.split(';').map(Number);
		const by = Math.max(1, first);
		const actions: Readonly<Record<string, () => void>> = {
			m: () => {
				this.#style = applyRendition(this.#style, numbers);
			},
			h: () => this.#set(kind + numbers, true),
			l: () => this.#set(kind + numbers, false),
			H: () => this.#move(by - 1, Math.max(1, second) - 1),
			A: () => this.#move(this.#cursor.row - by, this.#cursor.column),
			B: () => this.#move(this.#cursor.row + by, this.#cursor.column),
			C: () => this.#move(this.#cursor.row, this.#cursor.column + by),
			D: () => this.#move(this.#cursor.row, this.#cursor.column - by),
			J: () => this.#eraseScreen(first),
			K: () => this.#eraseLine(first),
		};
		const act = actions[final];
		if (act) {
			act();
		} else {
			this.foreign.push(whole);
		}
	}

	#set(mode: string, isSet: boolean): void {
		this.modes.delete(isSet ? `-${mode}` : mode);
		this.modes.add(isSet ? mode : `-${mode}`);
		if (mode === '?1049') {
			if (isSet) {
				[this.#main, this.#mainCursor, this.#lines] = [this.#lines, this.#cursor, []];
			} else {
				[this.#lines, this.#cursor] = [this.#main, this.#mainCursor];
			}
		}
	}

	#command(command: string, whole: string): void {
		const [, encoded] = /^52;c;(.*)$/.exec(command) ?? [];
		if (encoded === undefined) {
			this.foreign.push(whole);
		} else {
			this.copied.push(Buffer.from(encoded, 'base64').toString());
		}
	}

	#character(character: string): void {
		const {row, column} = this.#cursor;
		if (character === '\n') {
			this.#move(row + 1, column);
		} else if (character === '\r') {
			this.#move(row, 0);
		} else if (character === '\b') {
			this.#move(row, column - 1);
		} else if (character.startsWith('\x1b')) {
			this.foreign.push(character);
		} else if (/[\0-\x1f\x7f-\x9f]/.test(character)) {
			if (character !== '\x07' || this.isAlternate) {
				this.foreign.push(character);
			}
		} else {
			this.#print(character);
		}
	}

	#print(character: string): void {
		const {row, column} = this.#cursor;
		const width = stringWidth(character);
		const line = this.#lines[row] ?? [];
		this.#lines[row] = line;
		for (let index = line.length; index < column; index++) {
			line[index] = emptyCell;
		}

		if (width === 0) {
			const {text, style} = line[column - 1] ?? emptyCell;
			line[column - 1] = {text: text + character, style};
			return;
		}

		line[column] = {text: character, style: this.#style};
		if (width === 2) {
			line[column + 1] = {text: '', style: this.#style};
		}

		this.#cursor = {row, column: Math.min(column + width, this.#columns)};
	}

	#move(row: number, column: number): void {
		if (row >= this.#rows) {
			this.#lines.splice(0, row - this.#rows + 1);
		}

		this.#cursor = {
			row: Math.max(0, Math.min(row, this.#rows - 1)),
			column: Math.max(0, Math.min(column, this.#columns - 1)),
		};
	}

	#eraseScreen(part: number): void {
		const {row} = this.#cursor;
		if (part === 2) {
			this.#lines = [];
		} else {
			this.#lines.length = Math.min(this.#lines.length, row + 1);
			this.#eraseLine(0);
		}
	}

	#eraseLine(part: number): void {
		const {row, column} = this.#cursor;
		this.#lines[row] = part === 2 ? [] : (this.#lines[row] ?? []).slice(0, column);
	}
}
