import {execFileSync} from 'node:child_process';

/** What a process of ours needs besides its connections. */
const ownFiles = 200;

/**
 * Throws when a process may not have so many connections open. Node.js raises the soft limit to the hard one by itself.
 * @param {number} connections
 */
export function assertOpenFiles(connections) {
	const limit = execFileSync('sh', ['-c', 'ulimit -n'], {encoding: 'utf8'}).trim();
	if (limit !== 'unlimited' && Number(limit) < connections + ownFiles) {
		throw new Error(
			`${connections} connections need ${connections + ownFiles} open files, and this shell allows ${limit}. ` +
				`Raise the limit (ulimit -n ${connections * 2}; in a container, --ulimit nofile=${connections * 2}) and run this again.`,
		);
	}
}
