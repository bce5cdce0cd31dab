import {spawn, spawnSync} from 'node:child_process';
import {writeFile} from 'node:fs/promises';
import path from 'node:path';
import {errorCode} from '../../../lib/errors.js';
import {safeFileName} from '../../../lib/text/sanitize.js';

/** Program that copies its standard input to the clipboard. */
type CopyProgram = {readonly command: string; readonly args: readonly string[]; readonly encoding?: 'utf16le'};

/** Timeout of a copy program. */
const timeoutMs = 5000;

/**
 * Copies a text to the clipboard by the first means that works: a program of the desktop, tmux, or the terminal itself. Resolves
 * with its name.
 */
export async function copyByMeans(
	text: string,
	env: NodeJS.ProcessEnv,
	byTerminal: (text: string) => void,
): Promise<string> {
	for (const program of programsOf(env)) {
		if (await feed(program, text)) {
			return program.command;
		}
	}

	byTerminal(text);
	return 'terminal clipboard, OSC 52';
}

function programsOf(env: NodeJS.ProcessEnv): readonly CopyProgram[] {
	const {WAYLAND_DISPLAY: wayland, DISPLAY: x11, TMUX: tmux, WSL_DISTRO_NAME: wsl} = env;
	const programs: ReadonlyArray<readonly [isUsable: unknown, program: CopyProgram]> = [
		[wayland, {command: 'wl-copy', args: []}],
		[x11, {command: 'xclip', args: ['-selection', 'clipboard']}],
		[x11, {command: 'xsel', args: ['--clipboard', '--input']}],
		[process.platform === 'darwin', {command: 'pbcopy', args: []}],
		[tmux, {command: 'tmux', args: ['load-buffer', '-w', '-']}],
		[wsl || process.platform === 'win32', {command: 'clip.exe', args: [], encoding: 'utf16le'}],
	];
	return programs.flatMap(([isUsable, program]) => (isUsable ? [program] : []));
}

/** Returns true if the program accepted the text. */
async function feed({command, args, encoding}: CopyProgram, text: string): Promise<boolean> {
	const child = spawn(command, args, {stdio: ['pipe', 'ignore', 'ignore'], timeout: timeoutMs});
	// A program that ends without reading reports it by its status.
	child.stdin.on('error', () => {});
	child.stdin.end(encoding === undefined ? text : Buffer.from(`\ufeff${text}`, encoding));
	return new Promise(resolve => {
		child.once('error', () => resolve(false));
		child.once('exit', code => resolve(code === 0));
	});
}

/** Shows a text in `$PAGER`, by default `less`. Control characters must be removed before, because some pagers print them. */
export function page(text: string): void {
	const pager = process.env['PAGER'] || 'less';
	const {error, status} = spawnSync(pager, {input: text, stdio: ['pipe', 'inherit', 'inherit'], shell: true});
	// Quitting the pager early also causes an error, but with a status.
	if (status === 127 || (error && status === null)) {
		throw new Error(`Could not start the pager "${pager}". Set PAGER to another program.`, {cause: error});
	}
}

const maxCopies = 100;

/**
 * Writes a new file into the working directory and resolves with its path. A path in the name is removed, and existing files are
 * not overwritten: the name gets a number.
 */
export async function saveFile(filename: string, bytes: Buffer): Promise<string> {
	const {name, ext} = path.parse(safeFileName(filename, 'attachment'));
	for (let copy = 0; copy < maxCopies; copy++) {
		const file = copy === 0 ? name + ext : `${name}-${copy}${ext}`;
		try {
			await writeFile(file, bytes, {flag: 'wx'});
			return path.resolve(file);
		} catch (error) {
			if (errorCode(error) !== 'EEXIST') {
				throw error;
			}
		}
	}

	throw new Error(`The folder already has ${maxCopies} files named ${name}${ext}. Delete or move some.`);
}
