/**
 * `npm run test:kits [-- --short] [name…]`: tests the kits in a project that installs the packed package and the frameworks
 * from their registries. On many workers, no test may see the mail of another, no files may be left, and an inbox per test
 * must be cheap. Tests that share an inbox must be detected.
 */
import {existsSync, mkdtempSync, readdirSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {frameworks} from './frameworks.js';
import {createProject, runTests} from './project.js';

/** @typedef {import('./frameworks.js').Framework} Framework */
/** @typedef {import('./project.js').Project} Project */

/** Maximum cost of an inbox per test. */
const maxCostMs = 5;

/** Timeout for the daemon to stop and remove its files after the tests. */
const cleanUpTimeoutMs = 30_000;

const isShort = process.argv.includes('--short');
const names = process.argv.slice(2).filter(name => !name.startsWith('--'));
const [files, testsPerFile, compared] = isShort ? [2, 5, 100] : [8, 25, 400];
const folder = mkdtempSync(path.join(tmpdir(), 'tinbox-kits-'));
let isFine = true;
try {
	const project = createProject(folder);
	for (const name of names.length > 0 ? names : Object.keys(frameworks)) {
		const framework = frameworks[name];
		if (!framework) {
			throw new Error(`There is no kit "${name}". There are: ${Object.keys(frameworks).join(', ')}.`);
		}

		await testFramework(name, framework, project);
	}
} finally {
	rmSync(folder, {recursive: true, force: true});
}

process.exitCode = isFine ? 0 : 1;

/**
 * @param {string} name
 * @param {Framework} framework
 * @param {Project} project
 */
async function testFramework(name, framework, project) {
	try {
		framework.install(project);
	} catch (error) {
		console.log(`${name}: skipped: ${String(error).split('\n').slice(0, 2).join(' ')}`);
		return;
	}

	const all = files * testsPerFile;
	const many = {files, tests: testsPerFile, workers: files};
	const own = runTests(project, framework, {...many, mode: 'own'});
	const isIsolated = own.exitCode === 0 && own.notes.length === all;
	report(
		isIsolated,
		`${name}: ${own.notes.length} of ${all} tests on ${files} workers found only their own mail`,
		own.output,
	);
	const remaining = await remainingIn(project.temporary);
	report(
		remaining.length === 0,
		`${name}: ${remaining.length} folders remain in the temporary folder`,
		contentOf(remaining),
	);
	const shared = runTests(project, framework, {mode: 'shared', files: 1, tests: 2, workers: 1});
	const isDetected = shared.exitCode !== 0 && shared.notes.length === 1;
	report(
		isDetected,
		`${name}, 2 tests that share an inbox: ${2 - shared.notes.length} found mail of the other`,
		shared.output,
	);
	const both = runTests(project, framework, {mode: 'both', files: 1, tests: compared, workers: 1});
	const [withOwn, without] = [true, false].map(isOwn => medianGap(both.notes, isOwn));
	const cost = (withOwn ?? Number.NaN) - (without ?? Number.NaN);
	const figures = `${withOwn?.toFixed(1)} ms with its own inbox and ${without?.toFixed(1)} ms without`;
	report(both.exitCode === 0, `${name}: a test takes ${figures}`, both.output);
	report(
		cost <= maxCostMs,
		`${name}: ${cost.toFixed(1)} ms more, at most ${maxCostMs} allowed`,
		'The machine may be busy.',
	);
}

/**
 * @param {boolean} isRight
 * @param {string} line
 * @param {string} details printed if it is not right
 */
function report(isRight, line, details) {
	isFine &&= isRight;
	console.log(isRight ? line : `${line}: FAILED\n${details}`);
}

/**
 * Folders of tinbox that remain after the daemon had time to remove them.
 * @param {string} temporary
 */
async function remainingIn(temporary) {
	const end = performance.now() + cleanUpTimeoutMs;
	for (;;) {
		const remaining = readdirSync(temporary).filter(name => name.startsWith('tinbox-'));
		if (remaining.length === 0 || performance.now() > end) {
			return remaining.map(name => path.join(temporary, name));
		}

		await sleep(100);
	}
}

/**
 * Files in homes, and the last lines of their logs.
 * @param {readonly string[]} homes
 */
function contentOf(homes) {
	return homes
		.flatMap(home => {
			const log = path.join(home, 'state/daemon.log');
			const lines = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n').slice(-5) : [];
			return [home, ...readdirSync(home, {recursive: true}).map(name => `  ${name}`), ...lines];
		})
		.join('\n');
}

/**
 * Median time between the starts of consecutive tests with the same kind of inbox, including the work of the framework.
 * @param {readonly import('./project.js').Note[]} notes
 * @param {boolean} isOwn
 */
function medianGap(notes, isOwn) {
	const gaps = notes.flatMap(({at, isOwn: kind}, index) => {
		const next = notes[index + 1];
		return kind === isOwn && next?.isOwn === isOwn ? [next.at - at] : [];
	});
	return gaps.sort((one, other) => one - other)[Math.floor(gaps.length / 2)] ?? Number.NaN;
}
