/**
 * The keys of the advisory locks by which nodes do some things one after the other, or only one of them does. Numbers that nobody
 * else in the database takes, and no two alike: https://www.postgresql.org/docs/current/explicit-locking.html#ADVISORY-LOCKS.
 */
export const locks = {
	migration: 7_463_028_311,
	oldEvents: 7_463_028_312,
	copy: 7_463_028_313,
	daysOfLog: 7_463_028_314,
};
