import {readFile} from 'node:fs/promises';

/** @param {number} pid */
export async function residentMegabytes(pid) {
	const status = await readFile(`/proc/${pid}/status`, 'utf8');
	return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}
