import {ClockedWorld} from './clocked-world.js';
import {rowsIn} from './rows.js';
import {tables} from './table/tables.js';

for (const table of Object.values(tables)) {
	table(rowsIn(async () => ClockedWorld.open()));
}
