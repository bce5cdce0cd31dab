import {describeAtOnce} from './at-once.js';
import {ClockedWorld} from './clocked-world.js';

describeAtOnce(async () => ClockedWorld.open());
