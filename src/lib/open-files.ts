import {readFileSync} from 'node:fs';

/** Maximum number of open files and connections of this process; infinite if unknown or unlimited. */
export function openFilesLimit(): number {
	const soft = fromLinux() ?? fromReport();
	return soft === undefined || !Number.isInteger(Number(soft)) ? Number.POSITIVE_INFINITY : Number(soft);
}

function fromLinux(): string | undefined {
	try {
		return /^Max open files\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1];
	} catch {
		return undefined;
	}
}

type Report = {readonly userLimits?: {readonly open_files?: {readonly soft?: unknown}}};

/** Works on macOS; takes some milliseconds. */
function fromReport(): unknown {
	const report: Report = process.report.getReport();
	return report.userLimits?.open_files?.soft;
}
