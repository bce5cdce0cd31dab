import {readFileSync} from 'node:fs';
import path from 'node:path';

export const root = path.join(import.meta.dirname, '../../..');

const readme = readFileSync(path.join(root, 'README.md'), 'utf8');

/** The README and what it says at more length elsewhere, but for what needs several machines. */
const pages = [
	'README.md',
	...['api', 'faults', 'bounces', 'webhooks', 'teams', 'settings', 'agents', 'mail-files'].map(
		name => `docs/${name}.md`,
	),
];

/** A block of code as it is printed. */
export type Block = {
	/** The heading above it and its language, with a number from the second of these on: `In CI: yaml 2`. */
	readonly name: string;
	readonly code: string;
};

/** All that the reader of the README may try. */
export function readBlocks(): readonly Block[] {
	return pages.flatMap(page => blocksOf(readFileSync(path.join(root, page), 'utf8')));
}

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

/** What the table of mail libraries says to write for one of them. */
export function mailLine(library: string): string {
	const row = readme.split('\n').find(line => line.startsWith(`| ${library} | \``));
	return /`(.*?)`/.exec(row ?? '')?.[1] ?? '';
}

export function blockNamed(name: string): string {
	return readBlocks().find(block => block.name === name)?.code ?? '';
}
