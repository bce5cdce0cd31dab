import {type Command, Help} from 'commander';
import type {Output} from './context.js';

/** Formats rows of names and texts as a list for `wrapHelp`. */
export function twoColumns(rows: ReadonlyArray<readonly [name: string, text: string]>): string {
	const width = Math.max(...rows.map(([name]) => name.length));
	return rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`).join('\n');
}

/** Maximum width of help texts. */
const maxWidth = 80;

/** Maximum width of terms; a longer term gets a separate line. */
const maxTermWidth = 32;

/** Minimum width of descriptions; in a narrower list, they start below their terms. */
const minTextWidth = 24;

/** Width of help texts on a stream. */
export function helpWidth({columns}: Output): number {
	return Math.min(columns || maxWidth, maxWidth);
}

/**
 * Wraps a help text. Adjacent lines without indentation are one paragraph. Indented lines keep their breaks; a line with
 * a term and a text, two or more spaces apart, is wrapped as a row of a list.
 */
export function wrapHelp(text: string, width = maxWidth): string {
	const result: string[] = [];
	let paragraph: string[] = [];
	const endParagraph = () => {
		result.push(...wrapWords(paragraph.join(' '), width));
		paragraph = [];
	};
	for (const line of text.split('\n')) {
		if (/^\S/.test(line)) {
			paragraph.push(line);
			continue;
		}

		endParagraph();
		const [, start, description] = /^( +\S.*?) {2,}(\S.*)$/.exec(line) ?? [];
		result.push(
			start === undefined || description === undefined || line.length <= width
				? line
				: wrapRow(start, line.length - description.length, description, width),
		);
	}

	endParagraph();
	return result.join('\n');
}

/** Help configuration that makes commander format its lists like `wrapHelp`. */
export const helpLayout: Partial<Help> = {
	// "[options]" is omitted, because all commands have options.
	subcommandTerm: command => [command.name(), ...command.registeredArguments.map(argumentTerm)].join(' '),
	padWidth(this: Help, command, helper) {
		return Math.min(Help.prototype.padWidth.call(this, command, helper), maxTermWidth);
	},
	formatItem: (term, termWidth, description, {helpWidth}) =>
		wrapRow(`  ${term}`, termWidth + 4, description, helpWidth ?? maxWidth),
};

function argumentTerm(argument: Command['registeredArguments'][number]): string {
	const name = argument.variadic ? `${argument.name()}...` : argument.name();
	return argument.required ? `<${name}>` : `[${name}]`;
}

/** Formats a row of a list. The description starts at `column`, on the line of the term if it fits. */
function wrapRow(start: string, column: number, description: string, width: number): string {
	const isNarrow = width - column < minTextWidth;
	const indent = ' '.repeat(isNarrow ? 6 : column);
	const lines = wrapWords(description, width - indent.length);
	const isBelow = isNarrow || start.length + 2 > column;
	return [
		isBelow ? start : `${start.padEnd(column)}${lines[0] ?? ''}`,
		...lines.slice(isBelow ? 0 : 1).map(line => indent + line),
	]
		.join('\n')
		.trimEnd();
}

function wrapWords(text: string, width: number): readonly string[] {
	const lines: string[] = [];
	for (const word of text.split(' ').filter(word => word !== '')) {
		const last = lines.at(-1);
		if (last === undefined || last.length + 1 + word.length > width) {
			lines.push(word);
		} else {
			lines[lines.length - 1] = `${last} ${word}`;
		}
	}

	return lines;
}
