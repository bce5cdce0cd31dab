const node = globalThis.process;
const {performance} = node?.getBuiltinModule('node:perf_hooks') ?? globalThis;
const {setTimeout, clearTimeout} = node?.getBuiltinModule('node:timers') ?? globalThis;

/**
 * Time as it passes, also where a test framework has stopped it (fake timers): a wait in such a test still ends. Not the global
 * functions, which it replaces, maybe before anything is imported. Runs in browsers, too.
 */
export const clock = {
	/** Milliseconds since some moment. */
	now: () => performance.now(),
	setTimeout: (work: () => void, ms: number) => setTimeout(work, ms),
	clearTimeout: (timer: ReturnType<typeof setTimeout>) => clearTimeout(timer),
};
