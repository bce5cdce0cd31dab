import {accountAttacks} from './account-attacks.js';
import {connectionAttacks} from './connection-attacks.js';
import {costAttacks} from './cost-attacks.js';
import {mailAttacks} from './mail-attacks.js';
import {searchAttacks} from './search-attacks.js';
import {webhookAttacks} from './webhook-attacks.js';

/**
 * Resolves when the attack has started; it continues until the process ends.
 * @typedef {(attacker: import('./attacker.js').Attacker) => Promise<void>} AttackFunction
 */

/**
 * All attacks of one user on others, by name.
 * @type {Record<string, AttackFunction>}
 */
export const attacks = {
	...mailAttacks,
	...searchAttacks,
	...connectionAttacks,
	...accountAttacks,
	...webhookAttacks,
	...costAttacks,
};

/** Names of attacks whose requests are small compared to the work that they cause. */
export const costAttackNames = Object.keys(costAttacks);
