import {ClockedWorld} from './clocked-world.js';
import {testAllRows} from './rows.js';
import {tables} from './table/tables.js';

for (const table of Object.values(tables)) {
	table(testAllRows(async () => ClockedWorld.open()));
}
