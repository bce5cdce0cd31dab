import {readdirSync, readFileSync, readlinkSync} from 'node:fs';

/** The process that listens on a TCP port, where the system tells: on Linux, and only of one's own processes. */
export function portHolder(port: number): {readonly pid: number; readonly command: string} | undefined {
	try {
		const sockets = new Set(listeningInodes(port).map(inode => `socket:[${inode}]`));
		const pid = readdirSync('/proc').find(entry => /^\d+$/.test(entry) && holdsOne(entry, sockets));
		return pid === undefined
			? undefined
			: {pid: Number(pid), command: readFileSync(`/proc/${pid}/comm`, 'utf8').trim()};
	} catch {
		return undefined;
	}
}

/** From the table in proc(5): the second field is the local address with the port in hex, the fourth 0A for "listens". */
function listeningInodes(port: number): string[] {
	const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
	return ['/proc/net/tcp', '/proc/net/tcp6']
		.flatMap(table => readFileSync(table, 'utf8').split('\n').slice(1))
		.map(line => line.trim().split(/\s+/))
		.filter(([, local, , state]) => local?.endsWith(wanted) && state === '0A')
		.flatMap(fields => fields[9] ?? []);
}

function holdsOne(pid: string, sockets: ReadonlySet<string>): boolean {
	try {
		return readdirSync(`/proc/${pid}/fd`).some(fd => sockets.has(linkOf(`/proc/${pid}/fd/${fd}`)));
	} catch {
		// Another user's process.
		return false;
	}
}

function linkOf(file: string): string {
	try {
		return readlinkSync(file);
	} catch {
		return '';
	}
}
