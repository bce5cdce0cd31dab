-- Figures to watch every minute, one row each.
set search_path to tinbox;
select 'live nodes' as figure, count(*)::text as value from nodes where heartbeat_at > now() - interval '10 seconds'
union all
select 'mail in the database', pg_size_pretty(pg_total_relation_size('sources') + pg_total_relation_size('source_chunks') + pg_total_relation_size('messages'))
union all
select 'pending deliveries', count(*)::text from deliveries
union all
select 'deletes in progress', ((select count(*) from message_deletions) + (select count(*) from owner_deletions))::text
union all
select 'dead rows in deliveries', n_dead_tup::text from pg_stat_user_tables where schemaname = 'tinbox' and relname = 'deliveries'
union all
select 'oldest transaction', coalesce(max(now() - xact_start), interval '0')::text from pg_stat_activity where datname = current_database()
union all
select 'sessions', count(*) || ' of ' || current_setting('max_connections') from pg_stat_activity
union all
select 'NOTIFY queue usage', round(pg_notification_queue_usage()::numeric * 100, 1) || ' %'
union all
select 'standby lag', coalesce(max(replay_lag), interval '0')::text from pg_stat_replication;
