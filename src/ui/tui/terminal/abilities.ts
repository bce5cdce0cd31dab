/** What a terminal can do beyond showing text in reverse and bold. */
export type Abilities = {readonly colors: boolean; readonly mouse: boolean};

/** Names in `TERM` of terminals without colours, whatever emulates them. */
const monochrome = /^vt\d|-m(?:ono)?$/;

/** Names of those that cannot tell of a mouse. */
const mouseless = /^(?:vt\d|linux$|ansi|cons\d|sun)/;

/** What the terminal says that it can do, and what the person wants of it (`NO_COLOR`, `FORCE_COLOR`). */
export function abilitiesOf(env: NodeJS.ProcessEnv, stdout: NodeJS.WriteStream): Abilities {
	// Node.js takes an empty NO_COLOR for a wish, too.
	const {NO_COLOR: noColor, ...wishes} = env;
	const {TERM: name = ''} = wishes;
	return {
		colors: !noColor && !monochrome.test(name) && stdout.getColorDepth(wishes) > 1,
		mouse: !mouseless.test(name),
	};
}
