import {accountThings} from './account-things.js';
import {connectionThings} from './connection-things.js';
import {mailThings} from './mail-things.js';
import {searchThings} from './search-things.js';
import {webhookThings} from './webhook-things.js';

/**
 * Resolves when it goes on by itself, until the process of the attacker ends.
 * @typedef {(attacker: import('./attacker.js').Attacker) => Promise<void>} Thing
 */

/**
 * The worst that one user can do to others.
 * @type {Record<string, Thing>}
 */
export const things = {...mailThings, ...searchThings, ...connectionThings, ...accountThings, ...webhookThings};
