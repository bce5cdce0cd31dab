/** A Markdown table without its empty columns. */
export function table(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
	const kept = head.map((_, column) => rows.some(row => (row[column] ?? '') !== ''));
	const line = (cells: readonly string[]) => `| ${cells.filter((_, column) => kept[column]).join(' | ')} |`;
	const rule = line(head.map(() => '---'));
	return [line(head), rule, ...rows.map(row => line(head.map((_, column) => cell(row[column] ?? ''))))].join('\n');
}

/** Escapes Markdown for a table cell. */
function cell(markdown: string): string {
	return markdown.replaceAll('\n', ' ').replaceAll(/\\?\|/g, '\\|');
}

export function code(text: string): string {
	return `\`${text}\``;
}

/** Values as code, separated by commas. */
export function codes(texts: readonly unknown[]): string {
	return texts.map(text => code(String(text))).join(', ');
}

export function fence(language: 'sh' | 'text', lines: readonly string[]): string {
	return [`\`\`\`${language}`, ...lines, '```'].join('\n');
}

/** The anchor that GitHub gives a heading. */
export function anchor(heading: string): string {
	return heading
		.toLowerCase()
		.replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
		.replaceAll(' ', '-');
}

/** Text with a capital first letter and a full stop. */
export function sentence(text: string): string {
	return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${/[.!?:]$/.test(text) ? '' : '.'}`;
}

/** Code in a help text: commands and values in quotes, flags, placeholders and variables. */
const codePattern =
	/(\{".*\})|"(tinbox [^"]*)"|(?<=: )(tinbox [a-z]+(?: [a-z-]+)*)$|'([^'\s]+)'|(--[a-z][\w-]*(?:[ =]<[^>]+>)?)|(<[^<>]+>)|(?<![\w$])((?:[A-Z]+_[A-Z\d_]+)(?![\w-]))/g;

/** Converts the plain text of a help text into Markdown. */
export function prose(text: string): string {
	let end = 0;
	const parts: string[] = [];
	for (const match of text.matchAll(codePattern)) {
		parts.push(
			escapeMarkdown(text.slice(end, match.index)),
			code(match.slice(1).find(group => group !== undefined) ?? ''),
		);
		end = match.index + match[0].length;
	}

	return [...parts, escapeMarkdown(text.slice(end))].join('');
}

function escapeMarkdown(text: string): string {
	return text.replaceAll(/[\\`*_<|]/g, String.raw`\$&`);
}

/** Joins the blocks of a page with blank lines between them. */
export function page(blocks: ReadonlyArray<string | undefined>): string {
	return `${blocks.filter(block => block !== undefined && block !== '').join('\n\n')}\n`;
}

/** Follows the title of every generated page; it is invisible where the page is rendered. */
export const generated = '<!-- Generated from the code by test/reference. Regenerate: npm run golden -->';
