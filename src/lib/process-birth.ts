import {readFileSync} from 'node:fs';

/**
 * When a running process was born, in a form that only serves comparison; undefined when no such process runs.
 * Together with the pid it names a process for good: a reused pid has another birth.
 */
export function processBirth(pid: number): string | undefined {
	try {
		if (process.platform === 'linux') {
			const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
			const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
			// The command's name, in parentheses, may hold spaces: fields count from behind it. Start time is the 22nd.
			const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
			return fields[0] === 'Z' ? undefined : `${boot}:${fields[19]}`;
		}

		process.kill(pid, 0);
		// Loaded only here, where it is needed: every command comes by.
		const {execFileSync} = process.getBuiltinModule('node:child_process');
		return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], {encoding: 'utf8'}).trim() || undefined;
	} catch {
		return undefined;
	}
}

/** Whether the process that a record names still lives; a record that names none does not. */
export function isAlive(process: {readonly pid?: unknown; readonly birth?: unknown} | null): boolean {
	return (
		typeof process?.pid === 'number' && typeof process.birth === 'string' && processBirth(process.pid) === process.birth
	);
}
