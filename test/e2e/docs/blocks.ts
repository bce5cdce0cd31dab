import {readdirSync, readFileSync} from 'node:fs';
import path from 'node:path';

export const root = path.join(import.meta.dirname, '../../..');

/** The README and every Markdown page below `docs`, relative to the repository. */
export const allPages: readonly string[] = [
	'README.md',
	...readdirSync(path.join(root, 'docs'), {recursive: true, encoding: 'utf8'})
		.filter(file => file.endsWith('.md'))
		.map(file => path.join('docs', file)),
];

/** A fenced code block as printed. */
export type Block = {
	/** Its heading and language, numbered from the second one on: `In CI: yaml 2`. */
	readonly name: string;
	readonly code: string;
};

export function readPage(page: string): string {
	return readFileSync(path.join(root, page), 'utf8');
}

export function blocksIn(page: string): readonly Block[] {
	return blocksOf(readPage(page));
}

/** The code blocks of a Markdown text. */
export function blocksOf(page: string): readonly Block[] {
	const seen = new Map<string, number>();
	return page.split(/^##+ /m).flatMap(section => {
		const [heading = ''] = section.replace(/^# /, '').split('\n', 1);
		return [...section.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, language, code = '']) => {
			const name = `${heading}: ${language || 'output'}`;
			const count = (seen.get(name) ?? 0) + 1;
			seen.set(name, count);
			return {name: count === 1 ? name : `${name} ${count}`, code};
		});
	});
}

/** The code for a library in the table of `docs/mail-libraries.md`. */
export function mailLine(library: string): string {
	const row = readPage('docs/mail-libraries.md')
		.split('\n')
		.find(line => line.startsWith(`| ${library} | \``));
	return /`(.*?)`/.exec(row ?? '')?.[1] ?? '';
}

export function blockNamed(name: string, page = 'README.md'): string {
	return blocksIn(page).find(block => block.name === name)?.code ?? '';
}
