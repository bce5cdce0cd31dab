const root=process.cwd();
const {buildTestDaemon,startTestDaemon}=await import(root+'/test/slow/proof/start.js');
const {runAttacks}=await import(root+'/test/slow/proof/suites/neighbours.js');
if(!process.env.NOBUILD) await buildTestDaemon();
const daemon=await startTestDaemon('', {openFiles: 1024});
const only=process.argv.slice(2);
await runAttacks(daemon,{seconds:4,only,tries:2,progress:t=>console.log(t)});
await daemon.stop?.(); process.exit(0);
