import {readFileSync} from 'node:fs';
import path from 'node:path';
import {parse} from 'yaml';
import {root} from '../../e2e/docs/blocks.js';

export function docsFile(name: string): string {
	return readFileSync(path.join(root, 'docs', name), 'utf8');
}

type Step = {
	readonly id?: string;
	readonly shell?: string;
	readonly env: Readonly<Record<string, string>>;
	readonly run: string;
};

/** The parts of a composite action that the tests read. */
type Action = {
	readonly inputs: Readonly<Record<string, {readonly description: string; readonly default: string}>>;
	readonly outputs: Readonly<Record<string, {readonly description: string; readonly value: string}>>;
	readonly runs: {readonly using: string; readonly steps: readonly Step[]};
};

export function readAction(): Action {
	return parse(docsFile('ci/action.yml'));
}
