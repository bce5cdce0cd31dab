-- Run once, as a superuser. Then set a password: \password tinbox
create role tinbox login;
create database tinbox owner tinbox encoding 'UTF8' template template0;
