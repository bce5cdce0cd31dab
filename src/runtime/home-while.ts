import {hostname, tmpdir} from 'node:os';
import path from 'node:path';
import {processBirth} from '../lib/process-lock.js';

/** The home of the daemon that runs while this process does: whoever names the process finds it there. */
export function homeWhile(pid: number, birth: string): string {
	return path.join(tmpdir(), `tinbox-while-${machine()}-${pid}-${word(birth)}`);
}

/** Whether it is the home of such a daemon, whose process has ended. Nobody knows here of processes of another machine or container. */
export function isHomeOfEnded(home: string): boolean {
	const [, host, pid] = /^tinbox-while-(\w*)-(\d+)-\w*$/.exec(path.basename(home)) ?? [];
	return host === machine() && home !== homeWhile(Number(pid), processBirth(Number(pid)) ?? '');
}

function machine(): string {
	return word(hostname());
}

function word(text: string): string {
	return text.replace(/\W/g, '');
}
