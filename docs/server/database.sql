-- As a superuser, once. The password is asked for: \password tinbox
create role tinbox login;
create database tinbox owner tinbox encoding 'UTF8' template template0;
