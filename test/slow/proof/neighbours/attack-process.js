/** One of the things in a process of its own: `attack-process.js <thing>`, told by a message whom to attack, and as whom. */
import os from 'node:os';
import {Attacker} from './attacker.js';
import {things} from './things.js';

process.on('disconnect', () => process.exit());
// What is refused, or ended in the middle, is what an attacker must expect.
process.on('uncaughtException', () => {});
// It stands for somebody elsewhere, who takes no time from the processors of the daemon.
os.setPriority(Math.min(os.constants.priority.PRIORITY_LOW, os.getPriority() + 10));
setInterval(() => process.send?.({processorMs: processorMs()}), 100);
process.once('message', async message => {
	const {daemon, headers} = /** @type {any} */ (message);
	try {
		await things[process.argv[2] ?? '']?.(new Attacker(daemon, headers));
		process.send?.({isUnderWay: true});
	} catch (error) {
		process.send?.({error: String(error)});
	}
});

/** For which it was on a processor. */
function processorMs() {
	const {user, system} = process.cpuUsage();
	return (user + system) / 1000;
}
