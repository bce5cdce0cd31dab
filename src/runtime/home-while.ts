import {tmpdir} from 'node:os';
import path from 'node:path';

/** What the names of homes begin with that go by themselves. */
export const homePrefix = 'tinbox-run-';

/** The home of the daemon that runs while this process does: whoever names the process finds it there. */
export function homeWhile(pid: number, birth: string): string {
	return path.join(tmpdir(), `${homePrefix}${pid}-${birth.replace(/\W/g, '')}`);
}
