/**
 * `npm run test:kits [-- --short] [name…]`: the kits as users have them, in a project outside of this repository that installs the package
 * as it would be published, and the frameworks from their registries. On many workers no test sees the mail of another, nothing is
 * left behind, and an inbox of its own costs a test little. That tests share an inbox is found out.
 */
import {existsSync, mkdtempSync, readdirSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {frameworks} from './frameworks.js';
import {makeProject, runTests} from './project.js';

/** @typedef {import('./frameworks.js').Framework} Framework */
/** @typedef {import('./project.js').Project} Project */

/** How long an inbox of its own may hold a test up. */
const mostMs = 5;

/** How soon after the tests their daemon has gone, with all it had. */
const goneMs = 30_000;

const isShort = process.argv.includes('--short');
const names = process.argv.slice(2).filter(name => !name.startsWith('--'));
const [files, testsPerFile, compared] = isShort ? [2, 5, 100] : [8, 25, 400];
const folder = mkdtempSync(path.join(tmpdir(), 'tinbox-kits-'));
let isFine = true;
try {
	const project = makeProject(folder);
	for (const name of names.length > 0 ? names : Object.keys(frameworks)) {
		const framework = frameworks[name];
		if (!framework) {
			throw new Error(`There is no kit "${name}". There are: ${Object.keys(frameworks).join(', ')}.`);
		}

		await tryOut(name, framework, project);
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
async function tryOut(name, framework, project) {
	try {
		framework.install(project);
	} catch (error) {
		console.log(`${name}: left out: ${String(error).split('\n').slice(0, 2).join(' ')}`);
		return;
	}

	const all = files * testsPerFile;
	const many = {files, tests: testsPerFile, workers: files};
	const own = runTests(project, framework, {...many, mode: 'own'});
	const isAlone = own.exitCode === 0 && own.notes.length === all;
	say(
		isAlone,
		`${name}: ${own.notes.length} of ${all} tests on ${files} workers found their own mail alone`,
		own.output,
	);
	const left = await leftIn(project.temporary);
	say(left.length === 0, `${name}: ${left.length} things are left in the temporary folder`, contentOf(left));
	const shared = runTests(project, framework, {mode: 'shared', files: 1, tests: 2, workers: 1});
	const isFound = shared.exitCode !== 0 && shared.notes.length === 1;
	say(
		isFound,
		`${name}, 2 tests that share an inbox: ${2 - shared.notes.length} found the mail of another`,
		shared.output,
	);
	const both = runTests(project, framework, {mode: 'both', files: 1, tests: compared, workers: 1});
	const [withOwn, without] = [true, false].map(isOwn => medianGap(both.notes, isOwn));
	const cost = (withOwn ?? Number.NaN) - (without ?? Number.NaN);
	const figures = `${withOwn?.toFixed(1)} ms with an inbox of its own and ${without?.toFixed(1)} ms without`;
	say(both.exitCode === 0, `${name}: a test takes ${figures}`, both.output);
	say(
		cost <= mostMs,
		`${name}: ${cost.toFixed(1)} ms more, ${mostMs} at most`,
		'Does the machine have time? See the figures.',
	);
}

/**
 * @param {boolean} isRight
 * @param {string} line
 * @param {string} details of what is not right
 */
function say(isRight, line, details) {
	isFine &&= isRight;
	console.log(isRight ? line : `${line}: NOT AS IT SHOULD BE\n${details}`);
}

/**
 * What is there of tinbox when its daemon had time to go.
 * @param {string} temporary
 */
async function leftIn(temporary) {
	const end = performance.now() + goneMs;
	for (;;) {
		const left = readdirSync(temporary).filter(name => name.startsWith('tinbox-'));
		if (left.length === 0 || performance.now() > end) {
			return left.map(name => path.join(temporary, name));
		}

		await sleep(100);
	}
}

/**
 * What is in homes, with the end of their logs.
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
 * From the beginning of a test to that of the next one with the same kind of inbox: what the framework does between them counts, too.
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
