/** What a terminal can do beyond showing text in reverse and bold. */
export type Abilities = {readonly colors: boolean};

/** Names in `TERM` of terminals without colours, whatever emulates them. */
const monochrome = /^vt\d|-m(?:ono)?$/;

/** What the terminal says that it can do, and what the person wants of it (`NO_COLOR`, `FORCE_COLOR`). */
export function abilitiesOf(env: NodeJS.ProcessEnv, stdout: NodeJS.WriteStream): Abilities {
	const colors = !env['NO_COLOR'] && !monochrome.test(env['TERM'] ?? '') && stdout.getColorDepth(env) > 1;
	return {colors};
}
