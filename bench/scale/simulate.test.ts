import {readFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {simulate} from './simulate.js';

const figures = JSON.parse(readFileSync(new URL('figures.json', import.meta.url), 'utf8'));
const shape = {nodes: 4, nodeCores: 2, databases: 1, databaseCores: 8, users: 100, mailsPerSecond: 500};

test('the same seed gives the same figures, and another one others', () => {
	const outcome = simulate(figures, shape, 1);
	expect(simulate(figures, shape, 1)).toEqual(outcome);
	expect(simulate(figures, shape, 2)).not.toEqual(outcome);
});

test('what can be answered is, and what cannot is not', () => {
	expect(simulate(figures, shape, 1).share).toBeGreaterThan(0.95);
	expect(simulate(figures, {...shape, databaseCores: 1, mailsPerSecond: 5000}, 1).share).toBeLessThan(0.5);
});
