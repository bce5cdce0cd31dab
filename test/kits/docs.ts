import {readFileSync} from 'node:fs';
import path from 'node:path';
import {parse} from 'yaml';
import {blocksOf, root} from '../e2e/docs/blocks.js';

const blocks = blocksOf(docsFile('kits.md'));

/** Those of the page, each of which a test or `npm run test:kits` runs. */
export const kitBlocks = blocks.map(({name}) => name);

/** A block of code of the page about kits, as `Vitest: js`. */
export function kitBlock(name: string): string {
	return blocks.find(block => block.name === name)?.code ?? '';
}

export function docsFile(name: string): string {
	return readFileSync(path.join(root, 'docs', name), 'utf8');
}

type Step = {
	readonly id?: string;
	readonly shell?: string;
	readonly env: Readonly<Record<string, string>>;
	readonly run: string;
};

/** The parts of a composite action of GitHub that are used. */
type Action = {
	readonly inputs: Readonly<Record<string, {readonly description: string; readonly default: string}>>;
	readonly outputs: Readonly<Record<string, {readonly description: string; readonly value: string}>>;
	readonly runs: {readonly using: string; readonly steps: readonly Step[]};
};

export function readAction(): Action {
	return parse(docsFile('ci/action.yml'));
}
