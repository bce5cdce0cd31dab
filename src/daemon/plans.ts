/** What each plan allows, for the command line: it reaches the server side through this folder alone. */
export {planLimits, plans} from '../domain/plan.js';
