import {readFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {simulate} from './simulate.js';

const figures = JSON.parse(readFileSync(new URL('figures.json', import.meta.url), 'utf8'));
const shape = {nodes: 4, nodeCores: 2, databases: 1, databaseCores: 8, users: 100, mailsPerSecond: 500};

test('the simulation returns the same figures for the same seed and others for another seed', () => {
	const outcome = simulate(figures, shape, 1);
	expect(simulate(figures, shape, 1)).toEqual(outcome);
	expect(simulate(figures, shape, 2)).not.toEqual(outcome);
});

test('the simulation answers over 95 % of the mails within capacity, and under half of an overload', () => {
	expect(simulate(figures, shape, 1).share).toBeGreaterThan(0.95);
	expect(simulate(figures, {...shape, databaseCores: 1, mailsPerSecond: 5000}, 1).share).toBeLessThan(0.5);
});
