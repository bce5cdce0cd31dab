-- What to look at each minute: one row a figure.
set search_path to tinbox;
select 'nodes that live' as figure, count(*)::text as value from nodes where heartbeat_at > now() - interval '10 seconds'
union all
select 'mail, in the database', pg_size_pretty(pg_total_relation_size('sources') + pg_total_relation_size('source_chunks') + pg_total_relation_size('messages'))
union all
select 'deliveries that wait', count(*)::text from deliveries
union all
select 'deletes that go on', ((select count(*) from removals) + (select count(*) from departures))::text
union all
select 'dead rows among deliveries', n_dead_tup::text from pg_stat_user_tables where schemaname = 'tinbox' and relname = 'deliveries'
union all
select 'oldest transaction', coalesce(max(now() - xact_start), interval '0')::text from pg_stat_activity where datname = current_database()
union all
select 'sessions', count(*) || ' of ' || current_setting('max_connections') from pg_stat_activity
union all
select 'NOTIFY queue in use', round(pg_notification_queue_usage()::numeric * 100, 1) || ' %'
union all
select 'standby behind by', coalesce(max(replay_lag), interval '0')::text from pg_stat_replication;
