import {spawn, spawnSync} from 'node:child_process';
import {writeFile} from 'node:fs/promises';
import path from 'node:path';
import {errorCode} from '../../../lib/errors.js';
import {safeFileName} from '../../../lib/text/sanitize.js';

/** A program that puts what it reads into the clipboard. */
type CopyProgram = {readonly command: string; readonly args: readonly string[]; readonly encoding?: 'utf16le'};

/** By then a program that works has ended, or gone on in the background. */
const patienceMs = 5000;

/**
 * Puts a text into the clipboard by the first means that works here: a program of the desktop, tmux, else the terminal
 * itself. Resolves with its name.
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

/** Whether the program is there and took the text. */
async function feed({command, args, encoding}: CopyProgram, text: string): Promise<boolean> {
	const child = spawn(command, args, {stdio: ['pipe', 'ignore', 'ignore'], timeout: patienceMs});
	// A program that ends without reading says so by its status.
	child.stdin.on('error', () => {});
	child.stdin.end(encoding === undefined ? text : Buffer.from(`\ufeff${text}`, encoding));
	return new Promise(resolve => {
		child.once('error', () => resolve(false));
		child.once('exit', code => resolve(code === 0));
	});
}

/** Shows a text in `$PAGER`, else in `less`. Control characters must be gone: some pagers hand them to the terminal. */
export function page(text: string): void {
	const pager = process.env['PAGER'] || 'less';
	const {error, status} = spawnSync(pager, {input: text, stdio: ['pipe', 'inherit', 'inherit'], shell: true});
	// Leaving the pager early is an error, too, but with a status.
	if (status === 127 || (error && status === null)) {
		throw new Error(`Could not start the pager "${pager}". Set PAGER to another program.`, {cause: error});
	}
}

const maxCopies = 100;

/**
 * Writes a new file into the working directory and resolves with its path. The name from a mail is never a path, and
 * an existing file is left alone: the new one gets a number.
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
