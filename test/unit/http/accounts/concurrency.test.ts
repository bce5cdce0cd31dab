import {ClockedWorld} from './clocked-world.js';
import {describeConcurrency} from './concurrency.js';

describeConcurrency(async () => ClockedWorld.open());
